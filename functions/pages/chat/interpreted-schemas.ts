import * as z from 'zod/mini';

// The page's security policy forbids compiling code, which zod tries when the first schema is made. Import this first.
z.config({ jitless: true });
