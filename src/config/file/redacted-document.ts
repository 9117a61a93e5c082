import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import { createRedactor } from '../../redaction/redactor.ts';
import { authorizationScheme, isSecretName, isRandomLooking } from '../secrets/secret-detection.ts';

const hidden = '[redacted]';
const reference = /(\$\{[^}]*\})/g;
/** The keys whose values are usually secrets, regardless of the names in them. */
const carriers = new Set(['env', 'headers']);
const redactor = createRedactor();

/** Returns a configuration document without values that may be secrets. References stay. */
export function redactedDocument(document: JsonObject): JsonObject {
  return shownObject(document, false);
}

function shownObject(object: JsonObject, isCarrier: boolean): JsonObject {
  const entries = Object.entries(object);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, shown(value, isSecretName(key), isCarrier || carriers.has(key))]),
  );
}

function shown(value: JsonValue, isSecret: boolean, isCarrier: boolean): JsonValue {
  if (typeof value === 'string') return isSecret || isCarrier ? referencesOnly(value) : shownText(value);
  if (Array.isArray(value)) return shownList(value as readonly JsonValue[], isSecret, isCarrier);
  // A number can be a secret, too.
  if (typeof value === 'number') return isSecret || isCarrier ? hidden : value;
  if (typeof value !== 'object' || value === null) return value;
  // The name of an object does not apply to its parts: `auth` contains the sign-in method in addition to the secret.
  return shownObject(value as JsonObject, isCarrier);
}

/** Returns a list without secrets. In the arguments of a program, a secret follows the option that names it. */
function shownList(list: readonly JsonValue[], isSecret: boolean, isCarrier: boolean): JsonValue[] {
  return list.map((value, index) => {
    const option = list[index - 1];
    const isNamed = typeof option === 'string' && option.startsWith('-') && isSecretName(option);
    return shown(value, isSecret || isNamed, isCarrier);
  });
}

function shownText(text: string): string {
  const [, option, value] = /^(-[^=]*|\w+)=(.*)$/s.exec(text) ?? [];
  if (option !== undefined && value !== undefined && isSecretName(option)) return `${option}=${referencesOnly(value)}`;
  const address = text
    .replaceAll(/(\/\/)([^/?#@\s]+)@/g, (_, slashes: string, user: string) => `${slashes}${referencesOnly(user)}@`)
    .replaceAll(/([?&])([^=&#]+)=([^&#]*)/g, (whole: string, mark: string, key: string, given: string) =>
      isSecretName(key) ? `${mark}${key}=${referencesOnly(given)}` : whole,
    );
  // References are masked during the check, because their names could be mistaken for secrets.
  const references: string[] = [];
  const plain = redactor.text(address.replaceAll(reference, (each) => `\u0000${references.push(each) - 1}\u0000`));
  if (isRandomLooking(plain)) return hidden;
  return plain.replaceAll(/\u0000(\d+)\u0000/g, (_, index: string) => references[Number(index)] ?? hidden);
}

/** Hides everything in a text except references, whose default values are also hidden. */
function referencesOnly(text: string): string {
  const scheme = authorizationScheme.exec(text)?.[0] ?? '';
  const parts = text.slice(scheme.length).split(reference);
  const safe = parts.map((part, index) => {
    if (index % 2 === 1) return part.replace(/:-.*\}$/s, `:-${hidden}}`);
    return part === '' ? '' : hidden;
  });
  return scheme + safe.join('');
}
