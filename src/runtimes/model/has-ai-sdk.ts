/** The package that the runtime `model` needs for every model but its own. */
export const aiSdkPackage = 'ai';

/** Says whether the AI SDK is installed, without loading it. */
export function hasAiSdk(): boolean {
  try {
    import.meta.resolve(aiSdkPackage);
    return true;
  } catch {
    return false;
  }
}
