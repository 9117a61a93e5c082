import { z } from '@hono/zod-openapi';

/** Any JSON value. */
export const jsonValue = z.unknown().openapi({ description: 'Any JSON value.' });

/** Any JSON object. */
export const jsonObject = z.record(z.string(), z.unknown());

/** A JSON Schema. */
export const jsonSchema = z
  .union([z.boolean(), jsonObject])
  .openapi('JsonSchema', { description: 'A JSON Schema as its author wrote it.' });

/** A timestamp. */
export const timestamp = z.string().openapi({ format: 'date-time', example: '2026-11-15T08:30:00.000Z' });
