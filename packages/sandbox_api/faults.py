"""Faults on purpose: a `/refresh` that is refused, or slow, at a rate that the environment sets."""

import random
import time

from django.conf import settings

from sandbox_api.problems import Unavailable

_dice = random.SystemRandom()


def maybe_refuse_refresh() -> None:
    """Refuse before the token is looked at: it may be presented again.

    :raises Unavailable: at the rate that is set.
    """
    if _dice.random() < settings.SANDBOX.faults.refresh_refuse_rate:
        raise Unavailable("Refused on purpose: SANDBOX_FAULT_REFRESH_503_RATE is set.")


def hold_back_refresh() -> None:
    """Hold the answer back after the token was spent: who gives up waiting has lost it."""
    delay = settings.SANDBOX.faults.refresh_delay.total_seconds()
    if delay:
        time.sleep(delay)
