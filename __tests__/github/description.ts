import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import type { Endpoint } from './endpoints.ts';

/** GitHub's published API description (OpenAPI 3.0), as far as it is used. */
interface Description {
  paths: Record<string, { get?: Operation; post?: Operation }>;
  components: { schemas: Record<string, Schema> };
}
interface Operation {
  operationId: string;
  parameters: (Parameter | Reference)[];
  requestBody?: Content;
  responses: Record<string, Content | Reference>;
}
type Parameter = { name: string; in: string; schema: { type?: string } };
/** A request or a response. */
type Content = { content?: Record<string, { schema: Schema }> };
type Schema = Readonly<Record<string, unknown>>;
type Reference = { $ref: string };

const { resolve: find } = createRequire(import.meta.url);
const path = find('@octokit/openapi/generated/api.github.com.json');
const description: Description = JSON.parse(readFileSync(path, 'utf8'));
const validators = new Map<Schema, ValidateFunction>();
const ajv = new Ajv({
  strict: false,
  allErrors: true,
  formats: {
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    email: true,
    int64: true,
    uri: (text: string) => URL.canParse(text),
  },
});

/** Returns the operation for a path below a repository. */
export function getOperation({ method, path }: Pick<Endpoint, 'method' | 'path'>): Operation {
  const item = description.paths[`/repos/{owner}/{repo}${path}`];
  const operation = method === 'GET' ? item?.get : item?.post;
  if (operation === undefined) {
    throw new Error(`The description has no ${method} ${path}`);
  }
  return operation;
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
    if (parameter === undefined) {
      return [`unknown parameter ${name}`];
    }
    const isWrong = parameter.schema.type === 'integer' && !/^\d+$/.test(value);
    return isWrong ? [`parameter ${name} must not be "${value}"`] : [];
  });
  const schema = getSchema(operation.requestBody);
  const unknown = body === '' ? [] : ['an unknown body'];
  return [...wrong, ...(schema ? findProblems(schema, JSON.parse(body), true) : unknown)];
}

/**
 * Returns what the description does not allow in a response, one line each. The stand-in leaves out
 * the fields that the action does not read.
 */
export function findResponseProblems(operation: Operation, status: number, body: unknown) {
  const common = status === 422 ? 'validation-error-simple' : 'basic-error';
  const error = { $ref: `#/components/schemas/${common}` };
  // The description does not list common errors with each operation.
  const schema = getSchema(operation.responses[status]) ?? (status >= 400 ? error : undefined);
  return schema === undefined
    ? [`undescribed status ${status}`]
    : findProblems(schema, body, false);
}

function getSchema(content: Content | Reference | undefined): Schema | undefined {
  const schema = content && resolve<Content>(content).content?.['application/json']?.schema;
  return schema && resolve<Schema>(schema);
}

/** Compiles a schema with its references only, since the description has thousands of schemas. */
function findProblems(schema: Schema, body: unknown, isWhole: boolean): string[] {
  const validator = validators.get(schema) ?? ajv.compile(withReferences(schema, isWhole));
  validators.set(schema, validator);
  validator(body);
  return (validator.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath || 'body'} ${message}: ${Object.values(params)}`,
  );
}

function withReferences(schema: Schema, isWhole: boolean): object {
  const schemas: Record<string, unknown> = {};
  const collect = (part: unknown): void => {
    const references = JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
    for (const [, name = ''] of references) {
      if (name in schemas) {
        continue;
      }
      const found = description.components.schemas[name];
      schemas[name] = toJsonSchema(found, isWhole);
      collect(found);
    }
  };
  collect(schema);
  return { allOf: [toJsonSchema(schema, isWhole)], components: { schemas } };
}

/**
 * Replaces `nullable` of OpenAPI 3.0 with the type `null` of JSON schema, even beside an `enum`.
 * Objects may not have undescribed fields, and need the required ones only if they are whole.
 */
function toJsonSchema(schema: unknown, isWhole: boolean): unknown {
  if (typeof schema !== 'object' || schema === null) {
    return schema;
  }
  if (Array.isArray(schema)) {
    return schema.map((part) => toJsonSchema(part, isWhole));
  }
  const entries = Object.entries(schema).map(([key, part]) => [key, toJsonSchema(part, isWhole)]);
  const { nullable, required, ...rest } = Object.fromEntries(entries);
  const isObject = rest.type === 'object' && rest.properties !== undefined;
  const converted = {
    ...(isObject ? { additionalProperties: false } : {}),
    ...rest,
    ...(isWhole && required ? { required } : {}),
  };
  return nullable === true ? { anyOf: [converted, { type: 'null' }] } : converted;
}

/** Resolves a reference such as `#/components/schemas/job`. Returns any other value unchanged. */
function resolve<T extends object>(value: T | Reference): T {
  if (!('$ref' in value)) {
    return value;
  }
  const keys = value.$ref.split('/').slice(1);
  const found = keys.reduce<unknown>((part, key) => Object(part)[key], description);
  if (found === undefined) {
    throw new Error(`The description has no ${value.$ref}`);
  }
  return found as T;
}
