"""The forms of work orders: create and edit, assign, change the priority."""

from datetime import datetime
from typing import Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from portal.services.operations.chargers import OperationsChargerQueries
from portal.services.operations.people import PersonQueries
from portal.services.operations.stations import OperationsStationQueries
from portal.services.operations.work_orders import WorkOrder, WorkOrderPriority, WorkOrderQueries
from portal.web.present import Badge
from portal_pages import BackendForm, RowChoiceField, SuggestedField

PRIORITIES: Final = {
    WorkOrderPriority.LOW: Badge(label=_("Low")),
    WorkOrderPriority.NORMAL: Badge(label=_("Normal"), tone="info"),
    WorkOrderPriority.HIGH: Badge(label=_("High"), tone="warn"),
    WorkOrderPriority.URGENT: Badge(label=_("Urgent"), tone="bad"),
}


class AssigneeForm(BackendForm[WorkOrder]):
    """Who does it: a person, or a name where the backend knows no people."""

    assignee_id = RowChoiceField(
        label=_("Assigned to"),
        hook=PersonQueries.use_get_people_query,
        record=PersonQueries.use_get_person_query,
        hint=lambda person: person.email,
        otherwise="assignee",
        required=False,
        max_length=64,
        help_text=_("Begin to type a name."),
    )
    assignee = SuggestedField(
        label=_("Assigned to"),
        counts=WorkOrderQueries.use_get_work_orders_counts_query,
        by="assignee",
        required=False,
        max_length=100,
    )


class WorkOrderForm(AssigneeForm):
    """Create and edit a work order. It checks what the backend checks."""

    station_id = RowChoiceField(
        hook=OperationsStationQueries.use_get_operations_stations_query,
        record=OperationsStationQueries.use_get_operations_station_query,
        hint=lambda station: station.city,
        required=False,
        max_length=64,
        help_text=_("Begin to type its name."),
    )
    charger_id = RowChoiceField(
        hook=OperationsChargerQueries.use_get_operations_chargers_query,
        record=OperationsChargerQueries.use_get_operations_charger_query,
        hint=lambda charger: charger.station_name,
        required=False,
        max_length=64,
        help_text=_("Its station follows from it."),
    )

    class Meta:
        fields = {
            "title": _("Title"),
            "station_id": _("Station"),
            "charger_id": _("Charger"),
            "priority": _("Priority"),
            "due_at": _("Due"),
            "assignee_id": _("Assigned to"),
            "assignee": _("Assigned to"),
            "description": _("Description"),
        }
        optional = ("due_at", "description")
        choices = {"priority": PRIORITIES}
        initial = {"priority": WorkOrderPriority.NORMAL}
        max_lengths = {"title": 200, "description": 2000}
        widgets = {"description": forms.Textarea(attrs={"rows": 4})}
        error_messages = {
            "title": {"required": _("Say what is to be done.")},
            "priority": {"required": _("Choose a priority.")},
        }


class NewWorkOrderForm(WorkOrderForm):
    """A new one is not late at birth."""

    def clean_due_at(self) -> datetime | None:
        """Refuse a day that is over.

        :raises ValidationError: it is.
        """
        due: datetime | None = self.cleaned_data["due_at"]
        if due is not None and timezone.localdate(due) < timezone.localdate():
            raise ValidationError(_("This day is over. Choose a later one, or none."))
        return due


class PriorityForm(BackendForm[WorkOrder]):
    """How soon it is to be done."""

    class Meta:
        fields = {"priority": _("Priority")}
        choices = {"priority": PRIORITIES}
