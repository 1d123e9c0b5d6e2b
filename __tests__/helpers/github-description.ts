import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import type { SeenApiRequest } from '../github/api.ts';

/** The parts of GitHub's API description (OpenAPI 3.0) that the checks need. */
interface Description {
  readonly paths: Readonly<Record<string, { readonly get?: Operation; readonly post?: Operation }>>;
  readonly components: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content | Reference>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: { readonly type?: string; readonly enum?: readonly string[] };
  readonly 'x-multi-segment'?: boolean;
}

/** A request or a response. */
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}

type Reference = { readonly $ref: string };
type Json = null | boolean | number | string | Json[] | { readonly [key: string]: Json };

const DESCRIPTION = '@octokit/openapi/generated/api.github.com.json';

let description: Description | undefined;
let routes: readonly Route[] | undefined;
const validators = new Map<string, ValidateFunction>();
const ajv = new Ajv({
  strict: false,
  allErrors: true,
  formats: {
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
    date: /^\d{4}-\d\d-\d\d$/,
    email: /^[^@\s]+@[^@\s]+$/,
    int64: true,
    uri: (text: string) => URL.canParse(text),
    'uri-template': (text: string) => URL.canParse(text.replace(/\{[^{}]*\}/g, '')),
  },
});

/**
 * Returns the deviations of a request and its response from GitHub's API description, one line
 * each. Ignores a response with a fault of the test.
 */
export function findDeviations(seen: Readonly<SeenApiRequest>): string[] {
  const { method, path, body, operation, answer, isFaulty } = seen;
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  const route = findRoute(method, pathname);
  if (route === undefined) return [`${method} ${path}: there is no such operation`];
  const problems = [
    ...(operation === route.operation.operationId ? [] : ['the stand-in lacks it']),
    ...findParameterProblems(route, pathname, searchParams),
    ...findRequestProblems(route, body),
    ...(answer === undefined || isFaulty
      ? []
      : findAnswerProblems(route, answer.status, answer.body)),
  ];
  return problems.map((problem) => `${route.operation.operationId} (${path}): ${problem}`);
}

/** Returns the deviations of a body from the schema of this name. */
export function findSchemaProblems(schema: string, body: unknown): string[] {
  return validate(schema, { $ref: `#/components/schemas/${schema}` }, body);
}

interface Route {
  readonly method: string;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
  readonly pattern: RegExp;
}

function findRoute(method: string, pathname: string): Route | undefined {
  return getRoutes().find((route) => route.method === method && route.pattern.test(pathname));
}

/** The operations that read from a repository, or add to it. */
function getRoutes(): readonly Route[] {
  routes ??= Object.entries(getDescription().paths)
    .filter(([template]) => template.startsWith('/repos/{owner}/{repo}/'))
    .sort(([a], [b]) => a.split('{').length - b.split('{').length || b.length - a.length)
    .flatMap(([template, { get, post }]) => [
      ...(get ? [toRoute('GET', template, get)] : []),
      ...(post ? [toRoute('POST', template, post)] : []),
    ]);
  return routes;
}

function toRoute(method: string, template: string, operation: Operation): Route {
  const parameters = operation.parameters.map(resolve);
  const pattern = template.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((other) => other.in === 'path' && other.name === name);
    const piece = parameter?.schema.type === 'integer' ? '\\d+' : '[^/]+';
    return `(?<${name}>${parameter?.['x-multi-segment'] ? '.+' : piece})`;
  });
  return { method, operation, parameters, pattern: new RegExp(`^${pattern}$`) };
}

function findParameterProblems(
  { parameters }: Route,
  path: string,
  query: URLSearchParams,
): string[] {
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const missing = known.filter(({ name, required }) => required && !query.has(name));
  return [
    ...(/\/\/|\/\.{1,2}(?:\/|$)/.test(path) ? ['a path with an empty piece'] : []),
    ...[...query].flatMap(([name, value]) => {
      const parameter = known.find((other) => other.name === name);
      if (parameter === undefined) return [`unknown parameter ${name}`];
      return isAllowed(parameter.schema, value) ? [] : [`parameter ${name} must not be "${value}"`];
    }),
    ...missing.map(({ name }) => `${name} is missing`),
  ];
}

function isAllowed({ type, enum: values }: Parameter['schema'], value: string): boolean {
  if (type === 'integer') return /^\d+$/.test(value);
  if (type === 'boolean') return value === 'true' || value === 'false';
  return value !== '' && (values?.includes(value) ?? true);
}

function findAnswerProblems({ operation }: Route, status: number, body: unknown): string[] {
  const described = operation.responses[status];
  const schema = described && resolve(described).content?.['application/json']?.schema;
  if (schema !== undefined) return validate(`${operation.operationId} ${status}`, schema, body);
  // The description does not list common errors with each operation.
  return status >= 400
    ? findSchemaProblems(status === 422 ? 'validation-error' : 'basic-error', body)
    : [`undescribed status ${status}`];
}

function findRequestProblems({ operation }: Route, body: string): string[] {
  const schema = operation.requestBody?.content?.['application/json']?.schema;
  if (schema === undefined) return body === '' ? [] : ['an unknown body'];
  const value = parseJson(body);
  if (value === undefined) return ['a body that is not JSON'];
  const known = Object.keys(Object(schema).properties);
  const unknown = Object.keys(Object(value)).filter((name) => !known.includes(name));
  return [
    ...unknown.map((name) => `unknown field ${name}`),
    ...validate(`${operation.operationId} request`, schema, value),
  ];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function validate(key: string, schema: Json, body: unknown): string[] {
  const validator = validators.get(key) ?? compile(schema);
  validators.set(key, validator);
  validator(JSON.parse(JSON.stringify(body)));
  return (validator.errors ?? []).map(
    ({ instancePath, message = '' }) => `${instancePath || 'body'} ${message}`,
  );
}

/** Compiles a schema with its references only, since the description has thousands of schemas. */
function compile(schema: Json): ValidateFunction {
  const schemas: Record<string, Json> = {};
  const collect = (part: Json): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(
      /"#\/components\/schemas\/([^"]+)"/g,
    )) {
      if (name in schemas) continue;
      const found = resolve<Json>({ $ref: `#/components/schemas/${name}` });
      schemas[name] = toJsonSchema(found);
      collect(found);
    }
  };
  collect(schema);
  return ajv.compile({ allOf: [toJsonSchema(schema)], components: { schemas } });
}

/**
 * Replaces `nullable` of OpenAPI 3.0 with the type `null` of JSON schema, even beside an `enum`.
 */
function toJsonSchema(schema: Json): Json {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(toJsonSchema);
  const { nullable, ...rest } = schema;
  const entries = Object.entries(nullable === true ? rest : schema);
  const converted = Object.fromEntries(entries.map(([key, part]) => [key, toJsonSchema(part)]));
  return nullable === true ? { anyOf: [converted, { type: 'null' }] } : converted;
}

/** Resolves a reference such as `#/components/schemas/job`. Returns any other value unchanged. */
function resolve<T>(value: T | Reference): T {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T;
  const keys = `${value.$ref}`.split('/').slice(1);
  const found = keys.reduce<unknown>((part, key) => Object(part)[key], getDescription());
  if (found === undefined) throw new Error(`The description has no ${value.$ref}`);
  return found as T;
}

function getDescription(): Description {
  const { resolve: find } = createRequire(import.meta.url);
  description ??= JSON.parse(readFileSync(find(DESCRIPTION), 'utf8')) as Description;
  return description;
}
