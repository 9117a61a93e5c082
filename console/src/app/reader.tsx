import { useQuery } from '@tanstack/react-query';
import { type ReactNode, createContext, use } from 'react';
import { queries } from '../api/queries.ts';
import { type Info, type Operations, type Role, rolesOf } from '../api/schema.ts';

const ReaderContext = createContext<Info['reader'] | undefined>(undefined);

/** Knows for the whole console who reads it. */
export function Reader({ children }: { readonly children: ReactNode }): ReactNode {
  const { data } = useQuery(queries.info());
  return <ReaderContext value={data?.reader}>{children}</ReaderContext>;
}

/** Who reads, once the server has said so. */
export function useReader(): Info['reader'] | undefined {
  return use(ReaderContext);
}

/** Why the server would refuse this to the reader; nothing where it would not, or where it is not known yet. */
export function useRefusal(asked: keyof Operations | undefined): string | undefined {
  const reader = useReader();
  return reader === undefined || asked === undefined ? undefined : refusalOf(asked, reader.role);
}

function refusalOf(asked: keyof Operations, role: Role): string | undefined {
  const taken = rolesOf[asked];
  // Agents do not sit here, so nobody is told to become one.
  const people = taken?.filter((each) => each !== 'agent').join(' or ') ?? '';
  return taken === undefined || taken.includes(role) ? undefined : `This takes the role ${people}; yours is ${role}.`;
}
