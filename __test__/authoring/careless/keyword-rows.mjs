// Keywords of `parameters`. A row: what the author did, the files, and each finding: its place, code, message
// and, behind the arrow, what is right.

import { folder, parameters, schemaJson } from './sources.mjs'

const args = changes => folder({ 'schema.json': schemaJson({ parameters: parameters(changes) }) })
const property = schema => args({ properties: { text: schema } })

export const keywordRows = [
  [
    'parameters open',
    args({ additionalProperties: true }),
    [
      'schema.json:11 schema-not-closed: `parameters` accepts undeclared arguments → write `"additionalProperties": false`, or add `schema-not-closed` to `lintAccepted`',
    ],
  ],
  [
    'parameters array',
    args({ type: 'array' }),
    ['schema.json:11 schema-not-object: `parameters` is not an object schema → write `"type": "object"`'],
  ],
  [
    'required not a property',
    args({ required: ['txt'] }),
    [
      'schema.json:11 required-without-property: `txt` is required, but the closed object has no such property → did you mean `text`?',
    ],
  ],
  [
    'required in the property',
    property({ type: 'string', required: true }),
    [
      'schema.json:11 schema-invalid: `required` is a boolean, as in draft-03 → list the names of required properties in `required` of the enclosing object',
    ],
  ],
  [
    'required text',
    args({ required: 'text' }),
    [
      'schema.json:11 schema-invalid: `/required` is not valid in draft 2020-12: "text" is not of type "array" → see the keyword in JSON Schema 2020-12',
    ],
  ],
  [
    'type int',
    property({ type: 'int' }),
    [
      'schema.json:11 schema-invalid: unknown type `int` → use one of `string`, `number`, `integer`, `boolean`, `object`, `array`, `null`',
    ],
  ],
  [
    'type String',
    property({ type: 'String' }),
    ['schema.json:11 schema-invalid: unknown type `String` → did you mean `string`?'],
  ],
  [
    'type date',
    property({ type: 'date' }),
    [
      'schema.json:11 schema-invalid: unknown type `date` → use one of `string`, `number`, `integer`, `boolean`, `object`, `array`, `null`',
    ],
  ],
  [
    'optional',
    property({ type: 'string', optional: true }),
    ['schema.json:11 unknown-keyword: unknown keyword `optional` → omit the property from `required`'],
  ],
  [
    'maxlength',
    property({ type: 'string', maxlength: 3 }),
    ['schema.json:11 unknown-keyword: unknown keyword `maxlength` → did you mean `maxLength`?'],
  ],
  [
    'min for minimum',
    property({ type: 'integer', min: 3 }),
    [
      'schema.json:11 unknown-keyword: unknown keyword `min` → remove it, move it into `properties` if it is an argument, or prefix its name with `x-`',
    ],
  ],
  [
    'nullable',
    property({ type: 'string', nullable: true }),
    [
      'schema.json:11 unknown-keyword: unknown keyword `nullable` → it is an OpenAPI keyword; write `"type": ["string", "null"]`',
    ],
  ],
  [
    'default outside of enum',
    property({ enum: ['s', 'm'], default: 'xl' }),
    [
      'schema.json:11 bad-default: the default is rejected: "xl" is not one of "s" or "m" → change the default, or the schema around it',
    ],
  ],
  [
    'default of another type',
    property({ type: 'integer', default: '5' }),
    [
      'schema.json:11 bad-default: the default is rejected: "5" is not of type "integer" → change the default, or the schema around it',
    ],
  ],
  [
    'enum of other type',
    property({ type: 'integer', enum: ['1', '2'] }),
    [
      'schema.json:11 unsatisfiable: no value is accepted: each value of `enum` is rejected, the last one because: "2" is not of type "integer" → write values that the rest of the schema accepts, such as `1` instead of `"1"` for an',
    ],
  ],
  [
    'enum empty',
    property({ enum: [] }),
    [
      'schema.json:11 unsatisfiable: `enum` is empty, so no value is accepted → write values that the rest of the schema accepts, such as `1` instead of `"1"` for an',
    ],
  ],
  [
    'enum text',
    property({ enum: 's,m' }),
    [
      'schema.json:11 schema-invalid: `/properties/text/enum` is not valid in draft 2020-12: "s,m" is not of type "array" → see the keyword in JSON Schema 2020-12',
    ],
  ],
  [
    'format datetime',
    property({ type: 'string', format: 'datetime' }),
    ['schema.json:11 unknown-format: unknown format `datetime` → did you mean `date-time`?'],
  ],
  [
    'format phone',
    property({ type: 'string', format: 'phone' }),
    [
      'schema.json:11 unknown-format: unknown format `phone` → use one of `email`, `date-time`, `date`, `time`, `duration`, `uri`, `uri-reference`,',
    ],
  ],
  ...['/^a$/i', '/^a/', '/a$/g'].map(pattern => [
    `pattern ${pattern}`,
    property({ type: 'string', pattern }),
    [
      `schema.json:11 bad-regex: \`${pattern}\` is a regular expression literal as a text, which no value fits → write \`${pattern.slice(1, pattern.lastIndexOf('/'))}\`: a pattern has no slashes around it and no flags; for \`i\` write both cases, as in \`[aA]\``,
    ],
  ]),
  ...['/api/', '^/api/$', '/a/i', '/price\\$/'].map(pattern => [
    `pattern ${pattern} is a path`,
    property({ type: 'string', pattern }),
    [],
  ]),
  [
    'pattern broken',
    property({ type: 'string', pattern: '(a' }),
    [
      'schema.json:11 bad-regex: `(a` is not a supported regular expression: it is not a pattern of ECMAScript with the flag `u`: Unterminated → use JavaScript syntax with the `u` flag; in JSON each backslash is written twice',
    ],
  ],
  [
    'ref to a file',
    property({ $ref: './address.json' }),
    [
      'schema.json:11 unresolved-ref: `./address.json` refers to another document → copy the schema into `$defs` and refer to `#/$defs/<name>`',
    ],
  ],
  [
    'ref misspelled',
    args({ properties: { text: { $ref: '#/$defs/Adress' } }, $defs: { Address: { type: 'string' } } }),
    [
      'schema.json:11 unresolved-ref: `#/$defs/Adress` does not resolve to a schema → references are relative to `/parameters`, which defines `#/$defs/Address`',
    ],
  ],
  [
    'min above max',
    property({ type: 'integer', minimum: 5, maximum: 1 }),
    [
      'schema.json:11 unsatisfiable: no integer is accepted: `minimum` is 5 and `maximum` is 1 → exchange the bounds, or correct one of them',
    ],
  ],
  [
    'array items list',
    property({ type: 'array', items: [{ type: 'string' }] }),
    [
      'schema.json:11 schema-invalid: `items` is an array, as in older drafts → write `prefixItems` for schemas by position, and `items` instead of `additionalItems`',
    ],
  ],
  [
    'property is a text',
    args({ properties: { text: 'string' } }),
    [
      'schema.json:11 schema-invalid: `/properties/text` is not valid in draft 2020-12: "string" is not of types "boolean", "object" → see the keyword in JSON Schema 2020-12',
    ],
  ],
]
