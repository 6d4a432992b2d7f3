// Date itself reads and writes all the forms in which AWS gives a time; the SDK's own reading serves to find fault with them.
export * from '../../node_modules/@smithy/core/dist-es/submodules/serde/index.js';

export const dateToUtcString = (date) => date.toUTCString();
export const parseRfc7231DateTime = (text) => new Date(text);
export const parseRfc3339DateTimeWithOffset = (text) => new Date(text);
export const parseEpochTimestamp = (seconds) => new Date(Math.round(seconds * 1000));
