import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { queries } from '../../api/queries.ts';
import { navigate } from '../../app/router.tsx';
import { Button } from '../../components/button.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { type CallFilters, callsUrl, timeSpans } from './call-filters.ts';
import { outcomeNames } from './outcome-names.ts';

const typingMs = 300;

/** The filters of the calls page. Charts have only those by time, server and tool. */
export function CallFilterBar({ filters, view }: { readonly filters: CallFilters; readonly view: string }): ReactNode {
  const { data: servers = [] } = useQuery(queries.servers());
  const { data: catalog } = useQuery(queries.tools());
  const { data: sessions = [] } = useQuery(queries.recentSessions());
  const change = (changed: CallFilters): void =>
    navigate(callsUrl({ ...filters, ...changed }, view), { replace: true });
  const { server, tool, outcome, decision, session, principal, last, since, until } = filters;
  const tools = (catalog?.items ?? []).filter((each) => server === undefined || each.id.server === server);
  const isCharts = view === 'charts';
  const isWindow = since !== undefined || until !== undefined;
  return (
    <div className="call-filters" role="search" aria-label="Filter calls">
      {isCharts ? undefined : (
        <TypedFilter
          name="text"
          label="Search calls"
          value={filters.text ?? ''}
          onChange={(text) => change({ text })}
        />
      )}
      <Choice
        label="Time"
        all={isCharts ? 'Last day' : 'All time'}
        value={isWindow ? 'window' : (last ?? '')}
        values={[
          ...Object.entries(timeSpans).map(([value, { name }]) => [value, name] as const),
          ['window', 'Custom range…'],
        ]}
        onChange={(value) =>
          change(value === 'window' ? { last: '', ...lastDay() } : { last: value, since: '', until: '' })
        }
      />
      {isWindow ? (
        <>
          <TimeField label="From" value={since} onChange={(value) => change({ last: '', since: value })} />
          <TimeField label="Until" value={until} onChange={(value) => change({ last: '', until: value })} />
        </>
      ) : undefined}
      <Choice
        label="Server"
        all="All servers"
        value={server ?? ''}
        values={servers.map(({ name }) => [name, name])}
        onChange={(value) => change({ server: value, tool: '' })}
      />
      <Choice
        label="Tool"
        all="All tools"
        value={tool ?? ''}
        values={tools.map((each) => [each.name, server === undefined ? each.name : each.id.tool])}
        onChange={(value) => change({ tool: value })}
      />
      {isCharts ? undefined : (
        <>
          <Choice
            label="Outcome"
            all="All outcomes"
            value={outcome ?? ''}
            values={outcomeNames.map((each) => [each, each])}
            onChange={(value) => change({ outcome: value })}
          />
          <Choice
            label="Decision"
            all="All decisions"
            value={decision ?? ''}
            values={['allow', 'ask', 'deny'].map((each) => [each, each])}
            onChange={(value) => change({ decision: value })}
          />
          <TypedFilter
            name="principal"
            label="Principal"
            value={principal ?? ''}
            onChange={(value) => change({ principal: value })}
          />
        </>
      )}
      {isCharts || (sessions.length === 0 && session === undefined) ? undefined : (
        <Choice
          label="Session"
          all="All sessions"
          value={session ?? ''}
          values={sessions.map(({ id, title }) => [id, title])}
          onChange={(value) => change({ session: value })}
        />
      )}
      {Object.keys(filters).length === 0 ? undefined : (
        <Button kind="quiet" onClick={() => navigate(callsUrl({}, view), { replace: true })}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

function Choice({
  label,
  all,
  value,
  values,
  onChange,
}: {
  readonly label: string;
  readonly all: string;
  readonly value: string;
  readonly values: readonly (readonly [value: string, name: string])[];
  readonly onChange: (value: string) => void;
}): ReactNode {
  // The journal may still have a server or tool that is gone from the catalog.
  const isListed = value === '' || values.some(([each]) => each === value);
  return (
    <label className="choice">
      <span className="unseen">{label}</span>
      <select className={value === '' ? '' : 'chosen'} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{all}</option>
        {isListed ? undefined : <option value={value}>{value}</option>}
        {values.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A text filter that applies when typing pauses. */
function TypedFilter({
  name,
  label,
  value,
  onChange,
}: {
  readonly name: 'text' | 'principal';
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const [typed, setTyped] = useState(value);
  const [lastValue, setLastValue] = useState(value);
  // The filter was changed through the address.
  if (lastValue !== value) {
    setLastValue(value);
    if (typed.trim() !== value) setTyped(value);
  }
  const commit = useEffectEvent(() => {
    if (typed.trim() !== value) onChange(typed.trim());
  });
  useEffect(() => {
    const timer = setTimeout(() => commit(), typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return name === 'text' ? (
    <SearchField label={label} value={typed} onChange={setTyped} />
  ) : (
    <input
      className="principal"
      aria-label={label}
      placeholder={label}
      maxLength={400}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}

/** A time in the user's time zone; the address has it in UTC. */
function TimeField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const at = value === undefined ? Number.NaN : Date.parse(value);
  const local = Number.isNaN(at)
    ? ''
    : new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  return (
    <input
      className="time-field"
      type="datetime-local"
      step={1}
      aria-label={label}
      value={local}
      onChange={({ target }) => onChange(target.value === '' ? '' : new Date(target.value).toISOString())}
    />
  );
}

function lastDay(): CallFilters {
  const now = Date.now();
  return { since: new Date(now - 86_400_000).toISOString(), until: new Date(now).toISOString() };
}
