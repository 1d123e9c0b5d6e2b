// The main module of undici also loads fetch, caches, and mocks, which doubles the bundle and takes
// as long as Node's own start. These paths are not covered by semantic versioning, so package.json
// pins the exact version.
export { default as connect } from 'undici/lib/api/api-connect.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';
