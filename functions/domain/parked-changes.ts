/** The folder of the bucket with the records of parked changes, one file each. */
export const parkedFolder = 'parked-changes/';

/** The folder to which Lambda writes batches of the table's stream that it has given up. AWS has chosen its name. */
export const abandonedFolder = 'aws/lambda/';
