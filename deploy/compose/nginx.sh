#!/bin/sh
# What the nginx of compose.yaml runs: the site for a server, with the apps' containers in place of this machine's ports.
# - A name leads to the container of its app. It is looked up again every 5 s: a new container may have another address.
# - The log goes to the container's output. nginx is not root, so all that it writes lies in /tmp.
set -eu
site=${1:-/etc/portal/portal.conf}
folder=${2:-/tmp}
nameserver=$(awk '$1 == "nameserver" { print ($2 ~ /:/ ? "[" $2 "]" : $2); exit }' /etc/resolv.conf)

awk '
    /^upstream portal_/ { in_upstream = 1 }
    in_upstream { in_upstream = $0 !~ /^}/; next }
    NF == 2 && $2 ~ /^portal_[a-z0-9_]+;$/ && $1 ~ /\./ { sub(/portal_/, ""); sub(/;$/, ":8000;") }
    { sub(/\/var\/log\/nginx\/portal\.access\.log/, "/dev/stdout"); print }
' "$site" >"$folder/portal.conf"

cat >"$folder/nginx.conf" <<END
worker_processes auto;
pid $folder/nginx.pid;
error_log stderr warn;
events {
    worker_connections 4096;
}
http {
    include /etc/nginx/mime.types;
    # The servers of the site that have no log of their own.
    access_log off;
    resolver $nameserver valid=5s;
    client_body_temp_path $folder/body;
    proxy_temp_path $folder/proxy;
    fastcgi_temp_path $folder/fastcgi;
    uwsgi_temp_path $folder/uwsgi;
    scgi_temp_path $folder/scgi;
    include $folder/portal.conf;
    # For the health check of the container.
    server {
        listen 127.0.0.1:8081;
        access_log off;
        return 204;
    }
}
END
exec nginx -c "$folder/nginx.conf" -g "daemon off;"
