"""The pages that have budgets: each a kind that many others are like."""

from typing import Final

#: The id in every address.
ROW: Final = "row_0"
#: By app: the addresses of its pages.
PAGES: Final = {
    "auth_app": ("/en/login", "/en/profile", "/en/accounts"),
    "energy": (
        "/en/energy",
        "/en/energy/clients",
        "/en/energy/clients?pages=10",
        "/en/energy/clients?q=grace&sort=name",
        f"/en/energy/clients/{ROW}",
        f"/en/energy/clients/{ROW}/edit",
        "/en/energy/clients/new",
        "/en/search?q=grace",
    ),
    "finance": ("/en/finance/invoices", f"/en/finance/invoices/{ROW}"),
    "operations": ("/en/operations/work-orders", f"/en/operations/work-orders/{ROW}"),
}
#: Of who opens them; nobody is signed in on the page of the sign-in.
PERMISSIONS: Final = {
    "auth_app": ("ENERGY_APP", "IAM_ADMIN"),
    "energy": ("ENERGY_APP",),
    "finance": ("FINANCE_APP",),
    "operations": ("OPERATIONS_APP",),
}
SIGNED_OUT: Final = "/en/login"
