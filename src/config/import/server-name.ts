import { hash } from 'node:crypto';

/** The longest name that a server can have. */
const longest = 44;

/** The nearest name that our rule allows; the same name always becomes the same. */
export function fittingName(name: string): string {
  if (name.length <= longest && /^_?[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/.test(name)) return name;
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^-+|[-_]+$/g, '');
  const whole = /[A-Za-z0-9]/.test(plain) ? plain : `server-${mark(name)}`;
  return whole.length <= longest ? whole : `${whole.slice(0, longest - 9)}-${mark(name)}`;
}

/** The name with something behind it, and still not too long. */
export function suffixedName(name: string, suffix: string): string {
  return `${name.slice(0, longest - suffix.length - 1).replace(/[-_]+$/, '')}-${suffix}`;
}

function mark(name: string): string {
  return hash('sha256', name, 'hex').slice(0, 8);
}
