"""Accounts and their permissions, for who holds `IAM_ADMIN`."""

from functools import partial
from http import HTTPStatus
from typing import Any, Final

from django import forms
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.functional import lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from portal.config.contract_names import SORT_BY_NAME, SORT_NEWEST_FIRST
from portal.config.platforms import PLATFORMS, TPlatform
from portal.services.iam.accounts import Account, AccountMutations, AccountQueries
from portal.services.user import UserQueries
from portal.web import PortalRequest
from portal.web.frame import platform_name
from portal.web.present import Badge
from portal_gateway.permission_changes import audited
from portal_pages import (
    AGE_SORTS,
    NAME_SORTS,
    BackendForm,
    Column,
    DetailView,
    EditView,
    Filter,
    ListView,
    resource_pages,
    see_other,
    settle_conflicts,
)

ADMIN: Final = "IAM_ADMIN"
#: The form's field that says: yes, I want to lose this permission.
CONFIRMED: Final = "confirmed"
#: Those that the page with the question has itself.
OWN_FIELDS: Final = frozenset({"csrfmiddlewaretoken", "madeFor"})


def _opens(platform: TPlatform) -> str:
    return gettext("Open %(name)s") % {"name": platform_name(platform)}


#: The permissions that the portal knows, in words. An account may have others.
PERMISSIONS: Final = {
    **{each.permission: Badge(label=lazy(_opens, str)(each.name), tone="calm") for each in PLATFORMS},
    ADMIN: Badge(label=_("Administer accounts"), tone="warn"),
}


class AccountForm(BackendForm[Account]):
    """The permissions of an account. Its name and address are its owner's."""

    #: Those that the portal knows; the form adds those that the account has beside.
    permissions = forms.MultipleChoiceField(
        required=False,
        label=_("Permissions"),
        choices=lambda: [(code, f"{each.label} ({code})") for code, each in PERMISSIONS.items()],
        widget=forms.CheckboxSelectMultiple,
    )


class AccountEdit(EditView[Account]):
    """The form; asks before administrators take the permission from themselves."""

    def respond(self, request: PortalRequest, pages: Any, **values: Any) -> HttpResponse:
        """The form, the question, or the way back to the account; to the profile for who is no administrator now."""
        row_id: str = values["row_id"]
        gives_up = request.method == "POST" and self._takes_away(request.POST) and _is_own(request, row_id)
        if gives_up and CONFIRMED not in request.POST:
            posted = request.POST
            sent = [(name, value) for name in posted if name not in OWN_FIELDS for value in posted.getlist(name)]
            context = {"sent": sent, "row_id": row_id, "confirmed_field": CONFIRMED}
            return render(request, "auth_app/accounts/give_up.html", context)
        send = partial(super().respond, request, pages, **values)
        if request.method != "POST":
            return send()
        try:
            response = audited(request, send, account_id=row_id, wanted=request.POST.getlist("permissions"))
        finally:
            # Also after a failure: the backend may have changed them.
            request.query_client.purge_user(row_id)
        return see_other("profile") if gives_up and response.status_code == HTTPStatus.SEE_OTHER else response

    def _takes_away(self, sent: QueryDict) -> bool:
        """Whether a form is to write permissions without that of administrators."""
        # Of a conflict, what others have written may be chosen, or nothing yet.
        settled, undecided = settle_conflicts(self.form, sent)
        kept = {*sent.getlist("permissions"), *settled.getlist("permissions")}
        return not undecided and ADMIN not in kept


def _is_own(request: PortalRequest, row_id: str) -> bool:
    profile = UserQueries.use_get_me_query(request).data
    return profile is not None and profile.get("id") == row_id


account_pages = resource_pages(
    "accounts",
    name="account",
    title=_("Accounts"),
    list=ListView(
        hook=AccountQueries.use_get_accounts_query,
        columns={
            "name": Column(_("Name"), sort=SORT_BY_NAME),
            "email": Column(_("Email"), sort="email", kind="wide"),
            "permissions": Column(_("Permissions"), kind="wide", words=PERMISSIONS),
            "created_at": Column(_("Created"), sort=SORT_NEWEST_FIRST),
        },
        counts=AccountQueries.use_get_accounts_counts_query,
        filters=(Filter("permission", _("Permissions"), choices=PERMISSIONS),),
        search_hint=_("Name or email"),
        sorts=AGE_SORTS | NAME_SORTS,
        template="auth_app/accounts/list.html",
    ),
    detail=DetailView(
        hook=AccountQueries.use_get_account_query,
        template="auth_app/accounts/detail.html",
    ),
    edit=AccountEdit(
        query=AccountQueries.use_get_account_query,
        mutation=AccountMutations.use_update_account_mutation,
        form=AccountForm,
        title=_("Permissions of %(name)s"),
        message=_(
            "The permissions were changed. Those taken away end with the account’s next page. "
            "New ones count within minutes, or at once after a new sign-in."
        ),
    ),
    context={"permissions": PERMISSIONS},
    permission=ADMIN,
)
