from concurrent.futures import ThreadPoolExecutor

from sandbox_api.keys import MINIMUM_KEY_LENGTH, kept_key


def test_all_who_start_together_get_the_same_key_and_one_that_is_there_is_never_replaced(tmp_path):
    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(lambda _: kept_key(path=tmp_path / "key"), range(64)))
    assert len(keys) == 1
    assert len(keys.pop()) >= MINIMUM_KEY_LENGTH
    assert [path.name for path in tmp_path.iterdir()] == ["key"]
    (tmp_path / "key").write_text("kept")
    assert kept_key(path=tmp_path / "key") == "kept"
