"""People to whom a work order can be assigned."""

from portal.query import QueryGroup, Row, resource


class Person(Row):
    """One of them."""

    name: str = ""
    email: str = ""

    def __str__(self) -> str:
        return self.name or self.id


_people = resource(
    "/operations/people",
    item=Person,
    optional=True,
)


class PersonQueries(QueryGroup):
    """`use_get_people_query` and `use_get_person_query`."""

    use_get_people_query = _people.list
    use_get_person_query = _people.detail
