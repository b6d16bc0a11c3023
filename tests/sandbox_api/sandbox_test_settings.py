"""The sandbox's own settings, in a folder of their own; `DATABASE_URL` is honoured."""

import os

from tests.support.private_folder import private_folder

_state_dir = str(private_folder("sandbox-tests-"))
for _name in [name for name in os.environ if name.startswith("SANDBOX_")]:
    del os.environ[_name]
os.environ["DEBUG"] = "1"
os.environ["SANDBOX_STATE_DIR"] = _state_dir

from sandbox_api.settings import *  # noqa: E402, F403 - the settings themselves, read from the above
