"""One deployable Django project in each folder."""
