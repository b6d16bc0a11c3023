"""All models, in the one place where Django looks for them."""

from sandbox_api.activity.models import Activity
from sandbox_api.auth.models import Account, PasswordReset, RefreshToken, SignIn
from sandbox_api.energy.models import Charger, ChargingSession, Client, Meter, MeterReading, Station
from sandbox_api.finance.models import Invoice
from sandbox_api.idempotency import StoredAnswer
from sandbox_api.operations.models import WorkOrder

__all__ = [
    "Account",
    "Activity",
    "Charger",
    "ChargingSession",
    "Client",
    "Invoice",
    "Meter",
    "MeterReading",
    "PasswordReset",
    "RefreshToken",
    "SignIn",
    "Station",
    "StoredAnswer",
    "WorkOrder",
]
