/** Maximum levels of lists and objects in the body of a request, and in files of the command line. */
export const maxNesting = 64;

/** Maximum number of levels of units below the root. Paths are index keys, whose length databases limit. */
export const maxUnitLevel = 100;
