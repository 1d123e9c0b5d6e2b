/**
 * The parts of undici that the action uses, imported one by one: its main module also loads fetch, caches
 * and mocks, which takes as long as node's own start. undici 7 has no exports map, so these paths resolve;
 * they are not covered by its semantic versioning, which is why package.json pins the exact version.
 */

import connect from 'undici/lib/api/api-connect.js';
import request from 'undici/lib/api/api-request.js';
import Client from 'undici/lib/dispatcher/client.js';

export { Client, connect, request };
