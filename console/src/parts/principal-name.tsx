import type { ReactNode } from 'react';
import type { Principal } from '../api/schema.ts';

/** Returns what people call a principal. */
export function principalName({ id, name }: Principal): string {
  return name ?? id;
}

/** The name of a principal; its id, which tells apart two of the same name, on hover. */
export function PrincipalName({ of }: { readonly of: Principal }): ReactNode {
  return <span title={of.id}>{principalName(of)}</span>;
}
