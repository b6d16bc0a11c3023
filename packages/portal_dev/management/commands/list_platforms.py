"""`./manage.py --app energy list_platforms`: the platforms of the registry, with their addresses."""

from typing import Any

from portal.config.current import portal_config
from portal.config.environment import port_base
from portal.config.platforms import PLATFORMS
from portal.config.projects import PROJECT_BY_APP
from portal_operate.answers import FINE, AdministrationCommand, CommandAnswer, table


class Command(AdministrationCommand):
    """In the registry's order, which decides a user's primary platform."""

    help = "Print the platforms in the registry's order: name, permission, path prefix, project, address, local port."
    examples = ("--app auth_app list_platforms", "--app auth_app list_platforms --json")
    statuses = {FINE: "printed"}

    def answer(self, **options: Any) -> CommandAnswer:
        origins, base = portal_config().origins, port_base()
        platforms = [
            {
                "name": platform.name,
                "permission": platform.permission,
                "prefix": platform.prefix,
                "app": platform.app,
                "address": origins[platform.app],
                "port": base + PROJECT_BY_APP[platform.app].port_offset,
            }
            for platform in PLATFORMS
        ]
        heads = ("NAME", "PERMISSION", "PREFIX", "APP", "ADDRESS", "PORT")
        return CommandAnswer(data=platforms, lines=table([heads, *(tuple(each.values()) for each in platforms)]))
