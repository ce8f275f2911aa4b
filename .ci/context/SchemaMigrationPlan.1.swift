// from Orders
