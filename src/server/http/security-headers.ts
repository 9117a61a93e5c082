import { hash } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { ServerEnvironment } from './server-context.ts';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
];

/** A content security policy under which only this server's own files run, and the inline stylesheet and script with these texts. */
export function contentSecurityPolicy(inline: { readonly style?: string; readonly script?: string } = {}): string {
  return policy
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

/** On every answer, pages and API alike. The sign-in code stands in a URL, so no referrer may ever carry it away. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy(),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** Sets the security headers before the route runs, so that answers and problems get them alike. */
export const setSecurityHeaders: MiddlewareHandler<ServerEnvironment> = async (context, next) => {
  for (const [name, value] of Object.entries(securityHeaders)) context.header(name, value);
  await next();
};
