/** The service accepts no key of the emulator, and all of them begin like this. */
const EMULATOR_KEY = 'mint_emulator_';

/** True for a key of the emulator, so that nothing can cost credits, whatever the address. */
export function isEmulatorKey(apiKey: string): boolean {
  return apiKey.startsWith(EMULATOR_KEY);
}
