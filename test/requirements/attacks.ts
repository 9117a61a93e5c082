import { approvals } from './attacks/approvals.ts';
import { console } from './attacks/console.ts';
import { argumentsAndSchemas } from './attacks/arguments.ts';
import { conditions } from './attacks/conditions.ts';
import { trust } from './attacks/trust.ts';
import { fileEvasion } from './attacks/file-evasion.ts';
import { files } from './attacks/files.ts';
import { definitions } from './attacks/definitions.ts';
import { identities } from './attacks/identities.ts';
import { input } from './attacks/input.ts';
import { limits } from './attacks/limits.ts';
import type { Section } from './requirement.ts';

/** H. Attacks: a human or a rule allowed exactly what runs */
export const attacks: Section<'H'> = {
  ...approvals,
  ...console,
  ...argumentsAndSchemas,
  ...limits,
  ...conditions,
  ...trust,
  ...files,
  ...fileEvasion,
  ...definitions,
  ...identities,
  ...input,
};
