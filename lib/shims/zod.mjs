// What the AI SDK's packages import of zod 4, without the sentences of fifty languages (a quarter of a megabyte) and two
// parts that nothing here calls. It follows zod's own v4/classic/external.js, whose parts it takes by their paths.
import * as z from './zod.mjs';

export * from '../../node_modules/zod/v4/classic/checks.js';
export * as coerce from '../../node_modules/zod/v4/classic/coerce.js';
export * from '../../node_modules/zod/v4/classic/compat.js';
export * from '../../node_modules/zod/v4/classic/errors.js';
export * as iso from '../../node_modules/zod/v4/classic/iso.js';
export { ZodISODate, ZodISODateTime, ZodISODuration, ZodISOTime } from '../../node_modules/zod/v4/classic/iso.js';
export * from '../../node_modules/zod/v4/classic/parse.js';
export * from '../../node_modules/zod/v4/classic/schemas.js';
export {
  clone,
  config,
  flattenError,
  formatError,
  globalRegistry,
  NEVER,
  prettifyError,
  registry,
  TimePrecision,
  treeifyError,
  util,
} from '../../node_modules/zod/v4/core/index.js';
export { toJSONSchema } from '../../node_modules/zod/v4/core/json-schema-processors.js';
export { z, z as default };
