import { describe, expect, it } from 'vitest';
import { setUp, TOKEN, tagPush } from '../helpers/github.ts';
import { findSecret } from '../helpers/invariants.ts';
import {
  connectProxy,
  createAuthority,
  type ProxyMode,
  scriptedService,
} from '../helpers/servers.ts';

const HOST = 'git.example.com';
const authority = createAuthority();

/** Runs the action with GitHub's API on another host, over TLS and through a proxy. */
async function runBehindProxy(mode: ProxyMode, inputs: Record<string, string> = {}) {
  const { finish, prompts, emulator } = await setUp({}, {}, 2);
  const api = await scriptedService(
    { other: [{ status: 404, body: { message: 'Not Found' } }] },
    { tls: authority.issue([HOST]) },
  );
  const proxy = await connectProxy(mode, api.port);
  const result = await finish(
    { 'release-context': 'true', ...inputs },
    {
      extraCertificates: authority.cert,
      env: {
        ...tagPush('v1.0.0').env,
        GITHUB_API_URL: `https://${HOST}:${api.port}/api/v3`,
        HTTPS_PROXY: proxy.url,
      },
    },
  );
  return { result, api, proxy, prompts, emulator };
}

describe.concurrent('the API of an Enterprise host behind a proxy', () => {
  it('is reached through CONNECT, with its path prefix and the token', async () => {
    const { result, api, proxy } = await runBehindProxy('tunnel');
    expect(result.annotations.warnings).toEqual([
      expect.stringContaining('files, release notes (HTTP 404: Not Found)'),
      expect.stringContaining(
        "The record on GitHub can't be read or written (HTTP 404: Not Found)",
      ),
    ]);
    for (const { target } of proxy.connects) expect(target).toBe(`${HOST}:${api.port}`);
    for (const { path, headers } of api.requests) {
      expect(path).toMatch(/^\/api\/v3\/repos\/acme\//);
      expect(headers['authorization']).toBe(`Bearer ${TOKEN}`);
    }
    expect(api.requests).not.toEqual([]);
    expect(findSecret(JSON.stringify(proxy.connects), TOKEN)).toEqual([]);
  });
});
