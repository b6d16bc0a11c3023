"""The commands of `./manage.py --app sandbox_api`."""
