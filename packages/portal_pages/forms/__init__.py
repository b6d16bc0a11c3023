"""Forms: those that create and edit a row, and what a form of one's own needs.

::

    form_views     CreateView, EditView: the forms that create and edit a row; AddView: one that adds to a row
      undo         UndoPage, say_changed: a message with a button that brings the former values back
      form_pages   form_page: a page with a form, which can be sent again; the page of a deleted row
      row_changes  change_row: changes a row, unless somebody else has changed the same fields meanwhile
        conflicts  both values of a field that two users have changed
          forms    BackendForm: a form for a row, which shows the backend's errors at its fields
          row_choice   RowChoiceField: a row of another list, by its name; SuggestedField: a text with known values
          form_fields   the field for each type of a row's attributes
            text_fields fields for texts; validators: one_line, telephone
            time_fields fields for times, in the active time zone
            messages    what a form says of its fields; which answers say that the backend does not take a write
"""

from portal_pages.forms.conflicts import settle_conflicts
from portal_pages.forms.form_fields import version_in
from portal_pages.forms.form_pages import form_page
from portal_pages.forms.form_views import CHANGED_MEANWHILE, NEW, AddView, CreateView, EditView
from portal_pages.forms.forms import BackendForm
from portal_pages.forms.messages import (
    NO_DELETES,
    NO_NOTES,
    NO_RESTORES,
    NOT_ALLOWED,
    backend_errors,
    is_not_taken,
    is_not_taken_of_row,
    refusal_of,
    refusal_of_row,
    use_plain_messages,
)
from portal_pages.forms.row_changes import RowChange, change_row
from portal_pages.forms.row_choice import (
    RowChoiceField,
    SuggestedField,
    matches_response,
    name_chosen_rows,
    usable_form,
    with_rows_chosen,
)
from portal_pages.forms.text_fields import one_line, telephone
from portal_pages.forms.undo import (
    UNDO_FIELD,
    UNDONE,
    UNDONE_NO_MORE,
    UndoPage,
    offer_undo,
    row_before,
    say_changed,
    undoing,
    undone_rows,
)
