from sandbox_api.sealing import seal, unseal


def test_only_the_secret_opens_an_unchanged_seal():
    sealed = seal(secret=b"key", plaintext=b"tokens")
    assert b"tokens" not in sealed
    assert unseal(secret=b"key", sealed=sealed) == b"tokens"
    assert unseal(secret=b"other", sealed=sealed) is None
    assert unseal(secret=b"key", sealed=sealed[:-1] + bytes([sealed[-1] ^ 1])) is None
    assert seal(secret=b"key", plaintext=b"tokens") != sealed
