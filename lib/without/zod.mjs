export * from '../../node_modules/zod/v4/classic/checks.js';
export * from '../../node_modules/zod/v4/classic/errors.js';
export * from '../../node_modules/zod/v4/classic/parse.js';
export * from '../../node_modules/zod/v4/classic/schemas.js';
export { toJSONSchema } from '../../node_modules/zod/v4/core/json-schema-processors.js';

import * as z from './zod.mjs';

export { z };
