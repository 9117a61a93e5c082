import { useQuery } from '@tanstack/react-query';
import { type ReactNode, createContext, use } from 'react';
import { queries } from '../api/queries.ts';
import type { OperationName } from '../api/client.ts';
import { type Info, type Role, rolesOf } from '../api/schema.ts';

const ReaderContext = createContext<Info['reader'] | undefined>(undefined);

/** Provides the principal that the server sees for this browser. */
export function CurrentUserProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const { data } = useQuery(queries.info());
  return <ReaderContext value={data?.reader}>{children}</ReaderContext>;
}

/** Returns the current user; `undefined` until the server has answered. */
export function useCurrentUser(): Info['reader'] | undefined {
  return use(ReaderContext);
}

/** Returns why the current user may not call an operation; `undefined` if it is allowed, or not known yet. */
export function useForbiddenReason(asked: OperationName | undefined): string | undefined {
  const reader = useCurrentUser();
  return reader === undefined || asked === undefined ? undefined : refusalOf(asked, reader.role);
}

function refusalOf(asked: OperationName, role: Role): string | undefined {
  const taken = rolesOf[asked];
  // The console is for people, so the agent role is never suggested.
  const people = taken?.filter((each) => each !== 'agent').join(' or ') ?? '';
  return taken === undefined || taken.includes(role) ? undefined : `Requires the ${people} role; yours is ${role}.`;
}
