import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import type { Endpoint } from './endpoints.ts';

/** GitHub's published API description (OpenAPI 3.0), as far as it is used. */
interface Description {
  readonly paths: Readonly<Record<string, { readonly get?: Operation; readonly post?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

export interface Operation {
  readonly operationId: string;
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content | Reference>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type?: string };
}

/** A request or a response. */
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** The keywords of a schema that decide which value to fill in. */
interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly Json[];
  readonly nullable?: boolean;
  readonly items?: Schema | Reference;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema | Reference>>;
  readonly oneOf?: readonly (Schema | Reference)[];
}

type Reference = { readonly $ref: string };
type Json = null | boolean | number | string | Json[] | { readonly [key: string]: Json };

const SHA = '0'.repeat(40);
const description = loadDescription();
const validators = new Map<Schema, ValidateFunction>();
const ajv = new Ajv({
  strict: false,
  allErrors: true,
  formats: {
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    int64: true,
    uri: (text: string) => URL.canParse(text),
  },
});

/** Returns the operation for a path below a repository. */
export function getOperation({ method, path }: Pick<Endpoint, 'method' | 'path'>): Operation {
  const item = description.paths[`/repos/{owner}/{repo}${path}`];
  const operation = method === 'GET' ? item?.get : item?.post;
  if (operation === undefined) throw new Error(`The description has no ${method} ${path}`);
  return operation;
}

/**
 * Adds all fields to a response that its schema requires. Throws if the schema lacks a given field.
 */
export function fillResponse(operation: Operation, status: number, body: unknown): unknown {
  const schema = getSchema(operation.responses[status]);
  return schema === undefined ? body : fill(schema, body);
}

/** Returns what the description does not allow in a request, one line each. */
export function findRequestProblems(
  operation: Operation,
  query: URLSearchParams,
  body: string,
): string[] {
  const parameters = operation.parameters.map((parameter) => resolve<Parameter>(parameter));
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const wrong = [...query].flatMap(([name, value]) => {
    const parameter = known.find((other) => other.name === name);
    if (parameter === undefined) return [`unknown parameter ${name}`];
    const isWrong = parameter.schema.type === 'integer' && !/^\d+$/.test(value);
    return isWrong ? [`parameter ${name} must not be "${value}"`] : [];
  });
  const schema = getSchema(operation.requestBody);
  if (schema === undefined) return body === '' ? wrong : [...wrong, 'an unknown body'];
  const fields = JSON.parse(body);
  const unknown = Object.keys(fields).filter((name) => !(name in (schema.properties ?? {})));
  return [
    ...wrong,
    ...unknown.map((name) => `unknown field ${name}`),
    ...findProblems(schema, fields),
  ];
}

/** Returns what the description does not allow in a response, one line each. */
export function findResponseProblems(
  operation: Operation,
  status: number,
  body: unknown,
): string[] {
  const common = status === 422 ? 'validation-error-simple' : 'basic-error';
  const error = { $ref: `#/components/schemas/${common}` };
  // The description does not list common errors with each operation.
  const schema = getSchema(operation.responses[status]) ?? (status >= 400 ? error : undefined);
  return schema === undefined ? [`undescribed status ${status}`] : findProblems(schema, body);
}

function getSchema(content: Content | Reference | undefined): Schema | undefined {
  const schema = content && resolve<Content>(content).content?.['application/json']?.schema;
  return schema && resolve<Schema>(schema);
}

/** Completes a value by its schema. An absent value becomes the plainest one. */
function fill(reference: Schema | Reference, value: unknown): unknown {
  const schema = resolve<Schema>(reference);
  const { nullable, items, oneOf } = schema;
  if (value === null || (value === undefined && nullable)) return null;
  if (oneOf?.[0] !== undefined) return fill(oneOf[0], value);
  if (schema.properties !== undefined) return fillObject(schema, Object(value ?? {}));
  if (Array.isArray(value) && items !== undefined) return value.map((item) => fill(items, item));
  return value ?? getPlainest(schema);
}

function fillObject({ properties = {}, required = [] }: Schema, given: object): object {
  const fields = new Map(Object.entries(given));
  const names = new Set([...required, ...fields.keys()]);
  return Object.fromEntries(
    [...names].map((name) => {
      const property = properties[name];
      if (property === undefined) throw new Error(`The description has no field ${name}`);
      return [name, fill(property, fields.get(name))];
    }),
  );
}

function getPlainest({ type, format = '', enum: values }: Schema): unknown {
  if (values !== undefined) return values[0];
  const texts: Readonly<Record<string, string>> = {
    uri: 'https://api.github.com/',
    'date-time': '2026-11-20T12:00:00Z',
  };
  const plain = { string: texts[format] ?? SHA, integer: 0, number: 0, boolean: false, array: [] };
  return new Map<string | undefined, unknown>(Object.entries(plain)).get(type) ?? {};
}

/** Compiles a schema with its references only, since the description has thousands of schemas. */
function findProblems(schema: Schema | Reference, body: unknown): string[] {
  const key = resolve<Schema>(schema);
  const validator = validators.get(key) ?? ajv.compile(withReferences(key));
  validators.set(key, validator);
  validator(body);
  return (validator.errors ?? []).map(
    ({ instancePath, message = '' }) => `${instancePath || 'body'} ${message}`,
  );
}

function withReferences(schema: Schema): object {
  const schemas: Record<string, unknown> = {};
  const collect = (part: unknown): void => {
    const references = JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
    for (const [, name = ''] of references) {
      if (name in schemas) continue;
      const found = description.components.schemas[name];
      schemas[name] = toJsonSchema(found);
      collect(found);
    }
  };
  collect(schema);
  return { allOf: [toJsonSchema(schema)], components: { schemas } };
}

/**
 * Replaces `nullable` of OpenAPI 3.0 with the type `null` of JSON schema, even beside an `enum`.
 */
function toJsonSchema(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(toJsonSchema);
  const { nullable, ...rest } = schema as { readonly nullable?: unknown };
  const entries = Object.entries(nullable === true ? rest : schema);
  const converted = Object.fromEntries(entries.map(([key, part]) => [key, toJsonSchema(part)]));
  return nullable === true ? { anyOf: [converted, { type: 'null' }] } : converted;
}

/** Resolves a reference such as `#/components/schemas/job`. Returns any other value unchanged. */
function resolve<T extends object>(value: T | Reference): T {
  if (!('$ref' in value)) return value;
  const keys = value.$ref.split('/').slice(1);
  const found = keys.reduce<unknown>((part, key) => Object(part)[key], description);
  if (found === undefined) throw new Error(`The description has no ${value.$ref}`);
  return found as T;
}

function loadDescription(): Description {
  const { resolve: find } = createRequire(import.meta.url);
  const path = find('@octokit/openapi/generated/api.github.com.json');
  return JSON.parse(readFileSync(path, 'utf8')) as Description;
}
