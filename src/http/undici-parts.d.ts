declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici';
}

declare module 'undici/lib/api/*' {
  const method: object;
  export default method;
}
