"""The energy platform: clients, stations, chargers, charging sessions, meters."""
