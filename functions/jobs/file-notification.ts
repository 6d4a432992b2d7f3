import * as z from 'zod/mini';

/** What S3 sends for each file that comes into the bucket, and when its notifications are set up. */
export const FileNotification = z.union([
  z.object({ Records: z.array(z.object({ s3: z.object({ object: z.object({ key: z.string() }) }) })) }),
  z.object({ Event: z.literal('s3:TestEvent') }),
]);

/** The keys of the files that have come. */
export const keysIn = (notification: z.infer<typeof FileNotification>): string[] =>
  'Event' in notification
    ? []
    : notification.Records.map(({ s3 }) => decodeURIComponent(s3.object.key.replaceAll('+', ' ')));
