import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import {
  buildSchema,
  type GraphQLSchema,
  GraphQLString,
  graphqlSync,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';

let schema: GraphQLSchema | undefined;

/**
 * Returns what GitHub's GraphQL schema does not allow in a query, its variables, and the data of
 * its answer, one line each.
 */
export function findQueryProblems(request: string, answer?: unknown): string[] {
  schema ??= loadSchema();
  const { query, variables } = JSON.parse(request);
  const { data: answered } = Object(answer);
  // Executed over an answer, a query returns the same answer: no field is missing, odd, or wrong.
  const { data, errors = [] } = graphqlSync({
    schema,
    source: query,
    variableValues: variables,
    rootValue: answered ?? {},
    typeResolver: () => 'Commit',
    // An answer has the names that the query gives to its fields.
    fieldResolver: (source, _args, _context, { path }) => source[path.key],
  });
  if (errors.length > 0) {
    return errors.map(({ message }) => message);
  }
  const expected = JSON.stringify(data);
  return answered === undefined || isDeepStrictEqual(JSON.parse(expected), answered)
    ? []
    : [`the answer must be ${expected}`];
}

/** Reads the file, because the package itself would also build a schema, and takes longer. */
function loadSchema(): GraphQLSchema {
  const path = new URL('schema.graphql', import.meta.resolve('@octokit/graphql-schema'));
  const loaded = buildSchema(readFileSync(path, 'utf8'), { assumeValid: true });
  // In JSON, all of GitHub's own scalars are strings.
  const { parseValue, serialize } = GraphQLString;
  for (const type of Object.values(loaded.getTypeMap())) {
    if (isScalarType(type) && !isSpecifiedScalarType(type)) {
      Object.assign(type, { parseValue, serialize });
    }
  }
  return loaded;
}
