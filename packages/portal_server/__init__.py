"""The production server of one project.

::

    supervisor          the process that was started: has the server prepared, and supervises its workers
      workers           starts the workers, replaces those that end or hang, stops them
      granian_worker    one worker: granian serves a WSGI application
      limiter           how many requests of a worker run, and how many wait
      wsgi              what stands between granian and the application
      readiness         tells the service manager when the server answers, and that it lives
      static_files      which static files a server collects, and its private folder for them
    static              serves static files: bundled, hashed, compressed, and those of other releases
    startup             what an application loads when it starts
    prepared_files      what a start makes of a release's files, kept for the next starts
    parent_watch        ends a process with the one that started it, which knows whether it hangs
    ports               listens on a port, and leaves it; whether it is free, and whether a server answers there

Each is imported by its own path: `granian_worker` needs granian, `static` Django and WhiteNoise, the others the
standard library only.
"""
