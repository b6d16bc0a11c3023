"""The addresses of the examples: the energy, operations and finance platforms."""

from django.urls import path

from sandbox_api.activity.views import activity_of
from sandbox_api.energy import views as energy
from sandbox_api.energy.summary import EnergyStateView, EnergySummaryView
from sandbox_api.finance import views as finance
from sandbox_api.finance.summary import FinanceSummaryView
from sandbox_api.lists.views import counts_of, totals_of
from sandbox_api.operations import views as operations
from sandbox_api.operations.summary import OperationsSummaryView

urlpatterns = [
    path("energy/summary", EnergySummaryView.as_view()),
    path("energy/state", EnergyStateView.as_view()),
    path("energy/clients", energy.ClientsView.as_view()),
    path("energy/clients/counts", counts_of(energy.ClientsView).as_view()),
    path("energy/clients/<id:row_id>", energy.ClientView.as_view()),
    path("energy/clients/<id:row_id>/activity", activity_of(energy.ClientView, "clients").as_view()),
    path("energy/clients/<id:row_id>/restore", energy.ClientRestoreView.as_view()),
    path("energy/stations/positions", energy.StationPositionsView.as_view()),
    path("energy/stations", energy.StationsView.as_view()),
    path("energy/stations/counts", counts_of(energy.StationsView).as_view()),
    path("energy/stations/<id:row_id>", energy.StationView.as_view()),
    path("energy/chargers", energy.ChargersView.as_view()),
    path("energy/chargers/counts", counts_of(energy.ChargersView).as_view()),
    path("energy/chargers/<id:row_id>", energy.ChargerView.as_view()),
    path("energy/chargers/<id:charger_id>/work-orders", operations.ChargerWorkOrdersView.as_view()),
    path("energy/sessions", energy.ChargingSessionsView.as_view()),
    path("energy/sessions/counts", counts_of(energy.ChargingSessionsView).as_view()),
    path("energy/sessions/totals", totals_of(energy.ChargingSessionsView).as_view()),
    path("energy/sessions/<id:row_id>", energy.ChargingSessionView.as_view()),
    path("energy/meters", energy.MetersView.as_view()),
    path("energy/meters/counts", counts_of(energy.MetersView).as_view()),
    path("energy/meters/<id:row_id>", energy.MeterView.as_view()),
    path("operations/summary", OperationsSummaryView.as_view()),
    path("operations/work-orders", operations.WorkOrdersView.as_view()),
    path("operations/work-orders/counts", counts_of(operations.WorkOrdersView).as_view()),
    path("operations/work-orders/<id:row_id>", operations.WorkOrderView.as_view()),
    path("operations/work-orders/<id:row_id>/activity", activity_of(operations.WorkOrderView, "work_orders").as_view()),
    path("operations/stations", operations.OperationsStationsView.as_view()),
    path("operations/stations/<id:row_id>", operations.OperationsStationView.as_view()),
    path("operations/chargers", operations.OperationsChargersView.as_view()),
    path("operations/chargers/<id:row_id>", operations.OperationsChargerView.as_view()),
    path("operations/people", operations.PeopleView.as_view()),
    path("operations/people/<id:row_id>", operations.PersonView.as_view()),
    path("finance/summary", FinanceSummaryView.as_view()),
    path("finance/invoices", finance.InvoicesView.as_view()),
    path("finance/invoices/counts", counts_of(finance.InvoicesView).as_view()),
    path("finance/invoices/totals", totals_of(finance.InvoicesView).as_view()),
    path("finance/invoices/<id:row_id>", finance.InvoiceView.as_view()),
    path("finance/invoices/<id:row_id>/reminders", finance.RemindersView.as_view()),
    path("finance/invoices/<id:row_id>/activity", activity_of(finance.InvoiceView, "invoices").as_view()),
]
