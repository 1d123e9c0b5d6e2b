#!/bin/bash
# Runs node in network and mount namespaces of its own, in which /etc/resolv.conf leads to the servers of servers.cjs.
# NODE_BINARY is the node to run; servers.cjs reads NAME_SERVERS and RELAY_SOCKET. In bash, since dash drops variables
# with hyphens in their names. The servers keep standard error open, so that a test waits for their end, too.
folder=$(dirname "$0")
export folder
exec unshare --map-root-user --net --mount bash -c '
  ip link set lo up &&
  mount --bind "$folder/resolv.conf" /etc/resolv.conf &&
  mount --bind "$folder/nsswitch.conf" /etc/nsswitch.conf || exit 99
  ready=$(mktemp -u) && mkfifo "$ready" || exit 99
  setpriv --pdeathsig KILL env -u NODE_CHANNEL_FD "$NODE_BINARY" "$folder/servers.cjs" >"$ready" 3>&- </dev/null &
  read -r _ <"$ready"
  rm "$ready"
  exec "$NODE_BINARY" "$@"
' bash "$@"
