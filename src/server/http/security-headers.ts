import { hash } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { ServerEnvironment } from './server-context.ts';

const basePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
];

/** Returns a content security policy that allows only files of this server, and the given inline stylesheet and script. */
export function contentSecurityPolicy(inline: { readonly style?: string; readonly script?: string } = {}): string {
  return basePolicy
    .map((rule) => {
      const text = rule.startsWith('style-src')
        ? inline.style
        : rule.startsWith('script-src')
          ? inline.script
          : undefined;
      return text === undefined ? rule : `${rule} 'sha256-${hash('sha256', text, 'base64')}'`;
    })
    .join('; ');
}

/** The headers of every response. `no-referrer` keeps sign-in codes, which are part of a URL, from leaking. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy(),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** Sets the security headers before the route runs, so that problem responses have them too. */
export const setSecurityHeaders: MiddlewareHandler<ServerEnvironment> = async (context, next) => {
  for (const [name, value] of Object.entries(securityHeaders)) context.header(name, value);
  await next();
};
