declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici';
}

declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici';
}

declare module 'undici/lib/api/api-connect.js' {
  import type { Client, Dispatcher } from 'undici';

  /** The method `connect` of a client, which only the main module of undici adds to it. */
  export default function connect(
    this: Client,
    options: Omit<Dispatcher.ConnectOptions, 'origin'>,
  ): Promise<Dispatcher.ConnectData>;
}
