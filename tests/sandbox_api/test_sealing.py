from sandbox_api.sealing import seal, unseal


def test_only_the_secret_opens_it():
    sealed = seal(secret=b"key", plaintext=b"tokens")
    assert b"tokens" not in sealed
    assert unseal(secret=b"key", sealed=sealed) == b"tokens"
    assert unseal(secret=b"other", sealed=sealed) is None


def test_a_changed_seal_does_not_open():
    sealed = bytearray(seal(secret=b"key", plaintext=b"tokens"))
    sealed[-1] ^= 1
    assert unseal(secret=b"key", sealed=bytes(sealed)) is None


def test_the_same_plaintext_is_sealed_differently_each_time():
    assert seal(secret=b"key", plaintext=b"tokens") != seal(secret=b"key", plaintext=b"tokens")
