import * as zod from 'zod/mini';

/**
 * The parts of zod that schemas are made of. All modules import them from here: a second import of zod, in a chunk that
 * is loaded later, would make the main chunk larger.
 */
export type { output, ZodMiniType } from 'zod/mini';

export const array = zod.array;
export const boolean = zod.boolean;
export const enum_ = zod.enum;
export const int = zod.int;
export const iso = zod.iso;
export const looseObject = zod.looseObject;
export const nonnegative = zod.nonnegative;
export const nullable = zod.nullable;
export const nullish = zod.nullish;
export const object = zod.object;
export const optional = zod.optional;
export const refine = zod.refine;
export const regex = zod.regex;
export const safeParse = zod.safeParse;
export const strictObject = zod.strictObject;
export const string = zod.string;
export const unknown = zod.unknown;
