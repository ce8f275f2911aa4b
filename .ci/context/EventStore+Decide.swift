// from Bank
