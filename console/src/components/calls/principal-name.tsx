import type { ReactNode } from 'react';
import type { Principal } from '../../api/schema.ts';

/** Returns the display name of a principal. */
export function principalName({ id, name }: Principal): string {
  return name ?? id;
}

/** The name of a principal, with its id as the title to distinguish equal names. */
export function PrincipalName({ of }: { readonly of: Principal }): ReactNode {
  return <span title={of.id}>{principalName(of)}</span>;
}
