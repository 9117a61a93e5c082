import { type JsonObject, isJsonObject } from '../../core/json/json.ts';
import type { ImportedSecrets } from './imported-secrets.ts';
import { type SecretHolder, protectedArguments, protectedUrl, protectedValue } from './protected-secrets.ts';

/** An entry in which references replace the secrets, with notes for the user. */
export interface ProtectedEntry {
  readonly entry: JsonObject;
  readonly notes: readonly string[];
}

/** Replaces the secrets in the entry of a new server by references. Leaves parts of an unexpected shape to the validation. */
export function protectedEntry(server: string, entry: JsonObject, secrets: ImportedSecrets): ProtectedEntry {
  const notes: string[] = [];
  const holder: SecretHolder = { server, context: { secrets }, note: (text) => void notes.push(text) };
  const { env, headers, args, url, auth } = entry;
  const isTexts = Array.isArray(args) && args.every((each) => typeof each === 'string');
  const safe: JsonObject = {
    ...entry,
    ...(isJsonObject(env) ? { env: protectedValues(env, holder) } : {}),
    ...(isJsonObject(headers) ? { headers: protectedValues(headers, holder) } : {}),
    ...(isTexts ? { args: protectedArguments(args, holder) } : {}),
    ...(typeof url === 'string' ? { url: protectedUrl(url, holder) } : {}),
    ...(isJsonObject(auth) ? { auth: protectedValues(auth, holder) } : {}),
  };
  return { entry: safe, notes };
}

function protectedValues(values: JsonObject, holder: SecretHolder): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string' ? protectedValue(key, value, holder) : value,
    ]),
  );
}
