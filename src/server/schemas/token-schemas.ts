import { z } from '@hono/zod-openapi';
import { roles } from '../../core/principal.ts';
import { timestamp } from './json-schemas.ts';

export const roleSchema = z.enum(roles).openapi('Role', {
  description:
    '`viewer` reads; `agent` calls tools, runs turns and sees only its own calls and sessions; `approver` reads, approves and undoes; `admin` may do everything.',
});

const tokenFields = {
  id: z.string(),
  role: roleSchema,
  name: z.string().optional(),
  profile: z.string().optional().describe('The profile that the token is bound to.'),
  state: z.enum(['active', 'expired', 'revoked']),
  createdAt: timestamp,
  expiresAt: timestamp.optional(),
  lastUsedAt: timestamp.optional().describe('Precise to the minute.'),
  revokedAt: timestamp.optional(),
};

export const tokenSchema = z
  .object(tokenFields)
  .openapi('AccessToken', { description: 'The metadata of an access token, without its secret.' });

export const createdTokenSchema = z
  .object({ token: z.string().describe('Returned only once: the server stores a hash.'), ...tokenFields })
  .openapi('CreatedToken');

export const tokenPageSchema = z.object({ items: z.array(tokenSchema).readonly() }).openapi('TokenPage');

export const tokenRequestSchema = z
  .strictObject({
    role: roleSchema,
    profile: z.string().optional().describe('Only for the role `agent`.'),
    name: z.string().optional().describe('A name for people, such as its purpose.'),
    expires: z.string().optional().describe('The lifetime, such as `30d` or `12h`; unlimited by default.'),
  })
  .openapi('TokenRequest');
