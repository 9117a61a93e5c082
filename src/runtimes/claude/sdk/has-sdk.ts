import { createRequire } from 'node:module';

/** The package that the runtime `claude` needs. */
export const sdkPackage = '@anthropic-ai/claude-agent-sdk';

/** Says whether the Claude Agent SDK is installed, without loading it. */
export function hasSdk(): boolean {
  try {
    createRequire(import.meta.url).resolve(sdkPackage);
    return true;
  } catch {
    return false;
  }
}
