import { type ReactNode, useMemo } from 'react';
import type { JsonSchema } from '../../api/schema.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { type Field, type NamedField, choiceWords, readField, typeWords } from './field.ts';

/** A JSON Schema to read: what there is, of which type, and what it is for. */
export function SchemaView({ schema }: { readonly schema: JsonSchema }): ReactNode {
  const field = useMemo(() => readField(schema), [schema]);
  const isReadable = field.kind === 'object' && field.fields.length > 0;
  return (
    <div className="schema">
      {isReadable ? <Fields fields={field.fields} /> : <p className="faint">{words(field)}</p>}
      <details className="fold">
        <summary>As JSON Schema</summary>
        <div className="payload" role="group" aria-label="JSON Schema" tabIndex={0}>
          <JsonView value={schema} open={3} />
        </div>
      </details>
    </div>
  );
}

function words(field: Field): string {
  return field.kind === 'object' ? 'It takes no arguments.' : `It takes ${typeWords(field)}.`;
}

function Fields({ fields }: { readonly fields: readonly NamedField[] }): ReactNode {
  return (
    <ul className="schema-fields">
      {fields.map(({ name, isRequired, field }) => (
        <li key={name}>
          <p>
            <code>{name}</code>{' '}
            <span className="faint">
              {[typeWords(field), ...field.limits].join(' · ')}
              {field.default === undefined ? '' : ` · default ${choiceWords(field.default)}`}
            </span>{' '}
            {isRequired ? <span className="required">required</span> : undefined}
          </p>
          {field.description === undefined ? undefined : <p className="field-about">{field.description}</p>}
          {inner(field).map((each, index) => (
            <Fields key={index} fields={each} />
          ))}
        </li>
      ))}
    </ul>
  );
}

/** The fields of what is inside: of an object, of the items of a list, of each variant. */
function inner(field: Field): readonly (readonly NamedField[])[] {
  if (field.kind === 'object') return [field.fields];
  if (field.kind === 'list') return inner(field.item);
  return field.kind === 'variants' ? field.variants.flatMap(inner) : [];
}
