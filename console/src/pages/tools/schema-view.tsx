import { type ReactNode, useMemo } from 'react';
import type { JsonSchema } from '../../api/schema.ts';
import { JsonView } from '../../components/text/json-view.tsx';
import { type SchemaField, type NamedField, formatChoice, parseSchemaField, describeType } from './schema-field.ts';

/** A readable view of a JSON Schema: the fields with their types and descriptions. */
export function SchemaView({ schema }: { readonly schema: JsonSchema }): ReactNode {
  const field = useMemo(() => parseSchemaField(schema), [schema]);
  const isReadable = field.kind === 'object' && field.fields.length > 0;
  return (
    <div className="schema">
      {isReadable ? <Fields fields={field.fields} /> : <p className="faint">{words(field)}</p>}
      <details className="fold">
        <summary>Show JSON Schema</summary>
        <div className="payload" role="group" aria-label="JSON Schema" tabIndex={0}>
          <JsonView value={schema} open={3} />
        </div>
      </details>
    </div>
  );
}

function words(field: SchemaField): string {
  return field.kind === 'object' ? 'No arguments' : `Type: ${describeType(field)}`;
}

function Fields({ fields }: { readonly fields: readonly NamedField[] }): ReactNode {
  return (
    <ul className="schema-fields">
      {fields.map(({ name, isRequired, field }) => (
        <li key={name}>
          <p>
            <code>{name}</code>{' '}
            <span className="faint">
              {[describeType(field), ...field.limits].join(' · ')}
              {field.default === undefined ? '' : ` · default ${formatChoice(field.default)}`}
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

/** Returns the nested fields: of an object, of the items of a list, or of each variant. */
function inner(field: SchemaField): readonly (readonly NamedField[])[] {
  if (field.kind === 'object') return [field.fields];
  if (field.kind === 'list') return inner(field.item);
  return field.kind === 'variants' ? field.variants.flatMap(inner) : [];
}
